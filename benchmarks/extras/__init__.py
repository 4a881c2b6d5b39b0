"""Does each extra bring all that its integration needs, and what does it cost?"""
