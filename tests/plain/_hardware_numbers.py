"""Each number of tilewise.hardware and its source, entered once more.

d: derived from what the source states, m: measured.
"""

AGAIN = {
    "A100": """
        sms 108 a100-whitepaper
        clock 1410e6 a100-whitepaper
        bf16 312e12 a100-datasheet
        fp32 19.5e12 a100-datasheet
        exp_per_clock 16 cuda-guide
        exp 2.43648e12 cuda-guide d
        registers.per_sm 262144 hopper-in-depth
        shared.per_sm 167936 a100-whitepaper
        shared.with_l1_per_sm 196608 a100-whitepaper
        shared.latency 29.0 luo m
        registers.capacity 28311552 hopper-in-depth d
        shared.capacity 18137088 a100-whitepaper d
        registers.bandwidth 117e12 a100-datasheet d
        shared.bandwidth 19.49184e12 cuda-guide d
        l2.capacity 41943040 a100-whitepaper
        l2.bandwidth 7.2192e12 a100-whitepaper d
        l2.latency 261.5 luo m
        hbm.capacity 85899345920 a100-datasheet
        hbm.bandwidth 2039e9 a100-datasheet
        hbm.latency 466.3 luo m
        nvlink.bandwidth 600e9 a100-datasheet
        pcie.bandwidth 64e9 a100-datasheet
    """,
    "H100": """
        sms 132 hopper-in-depth
        clock 1830e6 fa3
        bf16 989.5e12 h100-page d
        fp32 67e12 h100-page
        exp_per_clock 16 fa3
        exp 3.86496e12 fa3 d
        registers.per_sm 262144 hopper-in-depth
        shared.per_sm 233472 hopper-tuning
        shared.with_l1_per_sm 262144 hopper-tuning
        shared.latency 29.0 luo m
        registers.capacity 34603008 hopper-in-depth d
        shared.capacity 30818304 hopper-tuning d
        registers.bandwidth 402e12 h100-page d
        shared.bandwidth 30.91968e12 cuda-guide d
        l2.capacity 52428800 hopper-in-depth
        l2.latency 263.0 luo m
        hbm.capacity 85899345920 h100-page
        hbm.bandwidth 3350e9 h100-page
        hbm.latency 478.8 luo m
        nvlink.bandwidth 900e9 h100-page
        pcie.bandwidth 128e9 h100-page
    """,
    "H200": """
        sms 132 roofline m
        clock 1830e6 fa3
        bf16 989.5e12 h200-page d
        fp32 67e12 h200-page
        exp_per_clock 16 latency m
        exp 3.86496e12 latency d
        registers.per_sm 262144 hopper-in-depth
        registers.latency 4 latency m
        shared.per_sm 233472 hopper-tuning
        shared.with_l1_per_sm 262144 hopper-tuning
        shared.latency 23 latency m
        registers.capacity 34603008 hopper-in-depth d
        shared.capacity 30818304 hopper-tuning d
        registers.bandwidth 402e12 h200-page d
        shared.bandwidth 30.91968e12 cuda-guide d
        l2.capacity 62914560 roofline m
        l2.bandwidth 8.7e12 latency m
        l2.latency 282 latency m
        hbm.capacity 151397597184 h200-page
        hbm.bandwidth 4800e9 h200-page
        hbm.latency 667 latency m
        nvlink.bandwidth 900e9 h200-page
        pcie.bandwidth 128e9 h200-page
    """,
}
